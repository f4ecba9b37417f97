// The end of every page's script: `startPage` of the page's own file first, so that its listings are there.

themeButton(document.getElementById("theme"));
startPage(pageData());
stateLinks();
showViews();
pageKeys();
