// Selecting tracks and putting them in order. Without these scripts, the boxes and buttons of a list are an ordinary form.

import "./select.js";
import "./reorder.js";
