# What type checkers see of the names that are imported late; tests/project/test_architecture.py holds it to `PUBLIC`.
from skillbag.agents.hosts.active_skills import open_runtime as open_runtime
from skillbag.agents.plugins.host import GuardDecision as GuardDecision
from skillbag.agents.plugins.host import HookAnswer as HookAnswer
from skillbag.agents.plugins.host import NoPluginToolError as NoPluginToolError
from skillbag.agents.plugins.host import PluginError as PluginError
from skillbag.agents.plugins.host import Plugins as Plugins
from skillbag.agents.plugins.host import call_guarded as call_guarded
from skillbag.agents.plugins.host import call_plugin_tool as call_plugin_tool
from skillbag.agents.plugins.host import dispatch_hook as dispatch_hook
from skillbag.agents.plugins.host import guard_call as guard_call
from skillbag.agents.plugins.host import load_plugins as load_plugins
from skillbag.agents.plugins.loading import PluginTool as PluginTool
from skillbag.agents.settings.scope import Scope as Scope
from skillbag.agents.settings.scope import scope_at as scope_at
from skillbag.agents.tools.registry import call_tool as call_tool
from skillbag.agents.tools.registry import offered_tools as offered_tools
from skillbag.agents.tools.tool import BadArgumentsError as BadArgumentsError
from skillbag.agents.tools.tool import OfferedTools as OfferedTools
from skillbag.agents.tools.tool import Tool as Tool
from skillbag.agents.tools.tool import ToolResult as ToolResult
from skillbag.agents.tools.tool import UnknownToolError as UnknownToolError
from skillbag.kernel.base.errors import UserError as UserError
from skillbag.kernel.standard.declarations import BadContextError as BadContextError
from skillbag.kernel.standard.declarations import Level as Level
from skillbag.kernel.standard.declarations import Place as Place
from skillbag.kernel.workspace.model import Workspace as Workspace
from skillbag.kernel.workspace.model import open_workspace as open_workspace
from skillbag.runtime.backends.backend import ToolOutput as ToolOutput
from skillbag.runtime.scanning.scan import Scan as Scan
from skillbag.runtime.scanning.scan import scan_workspace as scan_workspace
from skillbag.runtime.sessions.runtime import Runtime as Runtime
from skillbag.session.entry.entry import EntryReport as EntryReport
from skillbag.session.entry.entry import EntryStatus as EntryStatus
from skillbag.session.entry.invocation import Invocation as Invocation
from skillbag.session.entry.invocation import Ordered as Ordered
from skillbag.session.entry.invocation import Run as Run
from skillbag.session.inputs.cli_inputs import BadAnswerError as BadAnswerError
from skillbag.session.inputs.inputs import Input as Input
from skillbag.session.inputs.inputs import ResolvedInputs as ResolvedInputs
from skillbag.session.inputs.levels import Candidate as Candidate
from skillbag.session.inputs.levels import Conversation as Conversation
from skillbag.session.inputs.questions import Question as Question
from skillbag.session.inputs.questions import QuestionKind as QuestionKind
from skillbag.session.order.conflicts import Winner as Winner
from skillbag.session.order.order import Order as Order
from skillbag.session.refresh.refresh import Refresh as Refresh
from skillbag.session.refresh.state import NoSessionError as NoSessionError
from skillbag.session.remembering.remember import NotKeptError as NotKeptError
from skillbag.session.remembering.remember import Remembered as Remembered
from skillbag.session.session import Session as Session
from skillbag.session.settings.value import Value as Value
from skillbag.session.skills.skills import BadSkillError as BadSkillError

__version__: str
STANDARD_VERSION: str
REPOSITORY: str
DOCUMENTATION: str
PUBLIC: dict[str, str]
