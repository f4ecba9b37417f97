# What type checkers see of the names that are imported late; tests/project/test_architecture.py holds it to `PUBLIC`.
from skillbag.agent.active_skills import open_runtime as open_runtime
from skillbag.agent.registry import call_tool as call_tool
from skillbag.agent.registry import offered_tools as offered_tools
from skillbag.agent.tool import BadArgumentsError as BadArgumentsError
from skillbag.agent.tool import Offer as Offer
from skillbag.agent.tool import Result as Result
from skillbag.agent.tool import Tool as Tool
from skillbag.agent.tool import UnknownToolError as UnknownToolError
from skillbag.base.errors import UserError as UserError
from skillbag.lifecycle.cli_inputs import BadAnswerError as BadAnswerError
from skillbag.lifecycle.conflicts import Winner as Winner
from skillbag.lifecycle.entry import EntryReport as EntryReport
from skillbag.lifecycle.entry import EntryStatus as EntryStatus
from skillbag.lifecycle.execution import Ordered as Ordered
from skillbag.lifecycle.execution import Run as Run
from skillbag.lifecycle.inputs import Input as Input
from skillbag.lifecycle.inputs import Resolution as Resolution
from skillbag.lifecycle.invocation import Invocation as Invocation
from skillbag.lifecycle.order import Order as Order
from skillbag.lifecycle.questions import Question as Question
from skillbag.lifecycle.questions import QuestionKind as QuestionKind
from skillbag.lifecycle.refresh import Refresh as Refresh
from skillbag.lifecycle.remember import NotKeptError as NotKeptError
from skillbag.lifecycle.remember import Remembered as Remembered
from skillbag.lifecycle.session import Session as Session
from skillbag.lifecycle.skills import BadSkillError as BadSkillError
from skillbag.lifecycle.state import NoSessionError as NoSessionError
from skillbag.lifecycle.value import Value as Value
from skillbag.lifecycle.value_sources import Candidate as Candidate
from skillbag.lifecycle.value_sources import Conversation as Conversation
from skillbag.plugins.host import GuardDecision as GuardDecision
from skillbag.plugins.host import HookAnswer as HookAnswer
from skillbag.plugins.host import NoPluginToolError as NoPluginToolError
from skillbag.plugins.host import PluginError as PluginError
from skillbag.plugins.host import Plugins as Plugins
from skillbag.plugins.host import call_guarded as call_guarded
from skillbag.plugins.host import call_plugin_tool as call_plugin_tool
from skillbag.plugins.host import dispatch_hook as dispatch_hook
from skillbag.plugins.host import guard_call as guard_call
from skillbag.plugins.host import load_plugins as load_plugins
from skillbag.plugins.loading import PluginTool as PluginTool
from skillbag.runtime.backends.backend import ToolOutput as ToolOutput
from skillbag.runtime.runtime import Runtime as Runtime
from skillbag.runtime.scanning.scan import Scan as Scan
from skillbag.runtime.scanning.workspace_scan import scan_workspace as scan_workspace
from skillbag.settings.scope import Scope as Scope
from skillbag.settings.scope import scope_at as scope_at
from skillbag.standard.declarations import BadContextError as BadContextError
from skillbag.standard.declarations import Level as Level
from skillbag.standard.declarations import Place as Place
from skillbag.workspace.model import Workspace as Workspace
from skillbag.workspace.model import open_workspace as open_workspace

__version__: str
STANDARD_VERSION: str
REPOSITORY: str
DOCUMENTATION: str
PUBLIC: dict[str, str]
