"""The Language Server: what `skillbag check` finds, and what a skill's author asks, inside an editor.

`stdio` carries messages, `server` knows the protocol (pygls), `session` holds the state that features share. A feature
is a module with a function `register(server, session)`, called in `Server.__init__`, whose handlers are short:

    def register(server: LanguageServer, session: Session) -> None:
        @server.feature(types.TEXT_DOCUMENT_HOVER)
        def hover(params: types.HoverParams) -> types.Hover | None:
            with session.reading():
                ...

All handlers run in one thread, that of the event loop; checks run in another (`checking`), and hand their results over.
What a handler needs of the session:

- `session.reading()`: within the block, everything that reads files (`kernel.fs.read`, `kernel.fs.tracked`, and so the
  whole model of `kernel/workspace/` and `kernel/documents/`) sees open documents as if they were saved.
- `session.path(uri)`, `session.uri(path)`: a file's path, None for what is no file; its address as the client wrote it.
- `session.text(path)`: a file's `EditorText` (buffer or disk), which converts between offsets (code points, as those of
  `kernel.documents.source.Document`, whose byte order mark does not count), our lines and columns, and the client's
  positions.
- `session.folders`: the roots (absolute) that the client has opened. `session.documents`: open documents by URI.
- `session.latest`: the findings of the last check by path, and its targets. `session.on_checked` has functions that are
  called after each check, in the thread of the event loop.
"""
