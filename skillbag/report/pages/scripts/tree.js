// The page of `tree --format html`.

function startPage(data) {
  skillsView(data.graph);
  graphView(data.graph);
}
