// Small things that make pages better. Every page works without them.

import "./choices.js";
import "./colours.js";
import "./copy.js";
import "./confirm.js";
import "./times.js";

if (document.querySelector("form[data-crop]")) import("./crop.js");
