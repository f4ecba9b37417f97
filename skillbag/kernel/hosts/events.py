"""Events of hooks. Made by tools/generate.py from the files in hosts/: change those, then `make generate`."""

# fmt: off
EVENTS = (
    'AfterAgent', 'AfterModel', 'AfterTool', 'BeforeAgent', 'BeforeModel', 'BeforeTool', 'BeforeToolSelection',
    'ConfigChange', 'CwdChanged', 'DirectoryAdded', 'Elicitation', 'ElicitationResult', 'FileChanged',
    'InstructionsLoaded', 'MessageDisplay', 'Notification', 'PermissionDenied', 'PermissionRequest', 'PostCompact',
    'PostModelSwitch', 'PostToolBatch', 'PostToolUse', 'PostToolUseFailure', 'PreCompact', 'PreCompress',
    'PreModelSwitch', 'PreSkillShellCommand', 'PreToolUse', 'SessionEnd', 'SessionStart', 'Setup', 'Stop',
    'StopFailure', 'SubagentStart', 'SubagentStop', 'TaskCompleted', 'TaskCreated', 'TeammateIdle',
    'UserPromptExpansion', 'UserPromptSubmit', 'WorktreeCreate', 'WorktreeRemove', 'afterAgentResponse',
    'afterAgentThought', 'afterFileEdit', 'afterMCPExecution', 'afterShellExecution', 'afterTabFileEdit', 'agentStop',
    'beforeMCPExecution', 'beforeReadFile', 'beforeShellExecution', 'beforeSubmitPrompt', 'beforeTabFileRead',
    'errorOccurred', 'permissionRequest', 'postToolUse', 'postToolUseFailure', 'preCompact', 'preToolUse', 'sessionEnd',
    'sessionStart', 'subagentStart', 'subagentStop', 'userPromptSubmitted', 'userPromptTransformed',
)
"""Those of all hosts but `stop` and `notification`, which are words."""
