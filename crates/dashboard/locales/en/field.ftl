# Fields of several forms: covers, colours, and the websites that may use a key.

field-image = Image
field-upload-cover = Upload cover
field-cover-square = Cropped to a square.
field-colour-own = Custom player colour
field-colour = Player colour
field-colour-ignored = Players ignore it, because the organization does not allow custom colours.
field-colour-shades = Player colour shades
field-colour-light = Light mode
field-colour-dark = Dark mode
field-origins = Websites that may use this key
field-origins-all = All websites
field-origins-only = Only these:
field-origins-label = Allowed origins, one per line
field-origins-hint = One origin per line. Keeps other websites from using a copy of the key in their visitors’ browsers. It does not stop programs, which can send any origin or none: anyone who has the key can use it from a server.
field-changed = Somebody has changed this to “{ $value }” in the meantime. Save again to replace it.
field-cleared = Somebody has cleared this field in the meantime. Save again to replace that.
