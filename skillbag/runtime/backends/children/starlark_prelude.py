"""The built-ins of Starlark skills, as Starlark that is run before each file (skill runtime, section 7.2).

Functions can't cross from Starlark to Python, so each file collects its handlers in a list of its own, and
`skillbag_call` calls one by its number. The names that begin with `skillbag_` are not for skills.
"""

_FUNCTIONS = """
read_file(path)
list_dir(path=".")
search_files(pattern)
write_file(path, content)
exec(command, *args)
fetch(url)
llm_complete(prompt)
llm_json(prompt, schema)
git_diff(*args)
git_log(*args)
git_status()
git_add(*paths)
git_commit(message)
git_branch(name)
env(key)
set_env(key, value)
invoke_skill(name, input=None)
project_root()
project_language()
load_file(path)
"""
"""The functions of the host, as a skill calls them."""

_BUILT_INS = """
skillbag_handlers = []

def skillbag_call(number, *args):
    return skillbag_handlers[number](*args)

def skillbag_add(kind, handler, **what):
    if type(handler) != "function":
        fail("register_" + kind + ": the handler is no function")
    skillbag_register(kind, len(skillbag_handlers), what)
    skillbag_handlers.append(handler)

def register_tool(name, description, handler, input_schema=None, requires_approval=False):
    skillbag_add(
        "tool",
        handler,
        name=name,
        description=description,
        input_schema=input_schema,
        requires_approval=requires_approval,
    )

def register_hook(phase, handler):
    skillbag_add("hook", handler, name=phase)

def register_workflow(name, handler):
    skillbag_add("workflow", handler, name=name)

def register_scanner(name, handler):
    skillbag_add("scanner", handler, name=name)

def log(first, message=None):
    if message == None:
        skillbag_host("log", {"message": first})
    else:
        skillbag_host("log", {"level": first, "message": message})

def hook_result(cancel=False, reason="", **modified):
    return {"modified": modified, "cancel": cancel, "reason": reason}

def error(message):
    skillbag_error(message)
"""


def _function(signature: str) -> str:
    """The definition of a function of the host: its arguments are given by name, several as a list."""
    name, _, parameters = signature.rstrip(")").partition("(")
    words = [word.partition("=")[0] for word in filter(None, parameters.split(", "))]
    values = [f'"{word}": {word}' if word[0] != "*" else f'"{word[1:]}": list({word[1:]})' for word in words]
    return f'def {signature}:\n    return skillbag_host("{name}", {{{", ".join(values)}}})\n'


PRELUDE = _BUILT_INS + "\n".join(map(_function, _FUNCTIONS.split("\n")[1:-1]))
