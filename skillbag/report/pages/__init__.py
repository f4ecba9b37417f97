"""Reports as one HTML file that needs nothing else: no network, no other file.

A page is a template that extends `base.html`, data as JSON, and a script; `rendering.render_page` puts them together:

    render_page("check.html", title="…", views=(View("findings", "Findings"),), data={…}, scripts=("check.js",))

- **Template** (`templates/`, Jinja2; escaped, and an unknown name is an error): the blocks `summary` (tiles, above the
  views) and `views`. A view is `<section data-view="ID" aria-labelledby=…>`; the navigation is made of `views`, and
  `view=ID` in the address shows it. `parts.html` has the macros `tile`, `share_bar` and `state_link`. What a reader
  without scripts needs is in `<noscript>`, or in plain markup.
- **Data**: any JSON, in one `<script type="application/json">` where nothing can end it. Texts of files are `shown` or
  `excerpt`ed before. A script's `startPage(data)` makes elements of it with `element`, whose children are texts and
  nodes: no data ever become markup. The policy of the page (Trusted Types) forbids `innerHTML`.
- **Scripts** (`scripts/`): plain files in one scope, in strict mode. `dom.js`, `address.js`, `views.js`, `theme.js` and
  `keys.js` are on every page. `listing.js` is search, filters, groups, order and pages of many items, with its state in
  the address; `table.js` and `check_cards.js` draw a page of its items. A script of the page defines `startPage`.
  The event `viewshown` (its `detail` is the view) tells when a drawing has room.
- **Styles**: `styles/page.css`, with all colours and sizes as variables. Inline `style` attributes are forbidden by the
  policy; scripts may set `node.style`, and markup may have SVG with attributes (`share_bar`).
- **Libraries** of others: `vendor/NAME.js` with `vendor/NAME.LICENSE`, both listed in `vendor/README`. A page names
  those that it needs (`libraries=("NAME",)`); they come before its scripts, each with its licence.

A page holds no date and nothing random: the same input makes the same bytes, so that two reports can be compared.
"""
