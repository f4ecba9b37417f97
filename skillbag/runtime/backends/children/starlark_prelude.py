"""The built-ins of Starlark skills, as Starlark that is run before each file (skill runtime, section 7.2).

Functions can't cross from Starlark to Python, so each file collects its handlers in a list of its own, and
`skillbag_call` calls one by its number. The names that begin with `skillbag_` are not for skills.
"""

PRELUDE = """
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

def read_file(path):
    return skillbag_host("read_file", {"path": path})

def list_dir(path="."):
    return skillbag_host("list_dir", {"path": path})

def search_files(pattern):
    return skillbag_host("search_files", {"pattern": pattern})

def write_file(path, content):
    skillbag_host("write_file", {"path": path, "content": content})

def exec(command, *args):
    return skillbag_host("exec", {"command": command, "args": list(args)})

def fetch(url):
    return skillbag_host("fetch", {"url": url})

def llm_complete(prompt):
    return skillbag_host("llm_complete", {"prompt": prompt})

def llm_json(prompt, schema):
    return skillbag_host("llm_json", {"prompt": prompt, "schema": schema})

def git_diff(*args):
    return skillbag_host("git_diff", {"args": list(args)})

def git_log(*args):
    return skillbag_host("git_log", {"args": list(args)})

def git_status():
    return skillbag_host("git_status", {})

def git_add(*paths):
    return skillbag_host("git_add", {"paths": list(paths)})

def git_commit(message):
    return skillbag_host("git_commit", {"message": message})

def git_branch(name):
    return skillbag_host("git_branch", {"name": name})

def env(key):
    return skillbag_host("env", {"key": key})

def set_env(key, value):
    skillbag_host("set_env", {"key": key, "value": value})

def invoke_skill(name, input=None):
    return skillbag_host("invoke_skill", {"name": name, "input": input})

def project_root():
    return skillbag_host("project_root", {})

def project_language():
    return skillbag_host("project_language", {})

def load_file(path):
    return skillbag_host("load_file", {"path": path})

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
