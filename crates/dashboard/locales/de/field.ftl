# Fields of several forms: covers, colours, and the websites that may use a key.

field-image = Bild
field-upload-cover = Cover hochladen
field-cover-square = Wird quadratisch zugeschnitten.
field-colour-own = Eigene Player-Farbe
field-colour = Player-Farbe
field-colour-ignored = Player ignorieren sie, weil die Organisation keine eigenen Farben zulässt.
field-colour-shades = Farbtöne der Player-Farbe
field-colour-light = Heller Modus
field-colour-dark = Dunkler Modus
field-origins = Websites, die diesen Schlüssel verwenden dürfen
field-origins-all = Alle Websites
field-origins-only = Nur diese:
field-origins-label = Erlaubte Origins, einer pro Zeile
field-origins-hint = Ein Origin pro Zeile. Hindert andere Websites daran, eine Kopie des Schlüssels in den Browsern ihrer Besucher zu verwenden. Programme hält das nicht auf, denn sie können jeden oder keinen Origin senden: Wer den Schlüssel hat, kann ihn von einem Server aus verwenden.
field-changed = Dieses Feld wurde inzwischen in „{ $value }“ geändert. Speichern Sie noch einmal, um es zu ersetzen.
field-cleared = Dieses Feld wurde inzwischen geleert. Speichern Sie noch einmal, um das zu ersetzen.
