"""The runtime of active skills: the one object that every door holds (skill runtime, sections 2 to 8)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from functools import cached_property
from types import TracebackType
from typing import NamedTuple, Self

from skillbag.manifest.names import Permission
from skillbag.runtime import conversation
from skillbag.runtime.activation import Activator, ActiveSkill
from skillbag.runtime.active import ActiveSkills, SkillStatus, Steps
from skillbag.runtime.approvals import Approvals, ByName, Scope
from skillbag.runtime.audit import Audit
from skillbag.runtime.backends.backend import Call, HostFunctions, ToolOutput, ToolSpec
from skillbag.runtime.broker import Broker
from skillbag.runtime.budget import allot
from skillbag.runtime.conversation import PromptBuild, Reply, ToolDecision, ToolReport
from skillbag.runtime.dependencies import Resolution, resolve
from skillbag.runtime.errors import ChildError, NotFoundError, NotPermittedError, RuntimeFaultError
from skillbag.runtime.hooks import Hooks
from skillbag.runtime.host.functions import HostContext, host_functions
from skillbag.runtime.limits import Limits
from skillbag.runtime.phases import Phase
from skillbag.runtime.questions import PermissionQuestion
from skillbag.runtime.request import RuntimeRequest, ToolRequest
from skillbag.runtime.settings import Sandbox
from skillbag.runtime.skill import FoundSkill, Grantee, Json
from skillbag.runtime.states import SkillEvent
from skillbag.runtime.store import Store
from skillbag.runtime.tools import check_input
from skillbag.runtime.triggers import Scored, TriggerContext, evaluate
