# Fields of several forms: covers, colours, and the websites that may use a key.

field-image = Image
field-upload-cover = Envoyer la pochette
field-cover-square = Recadrée au format carré.
field-colour-own = Couleur de lecteur personnalisée
field-colour = Couleur du lecteur
field-colour-ignored = Les lecteurs l’ignorent, car l’organisation n’autorise pas les couleurs personnalisées.
field-colour-shades = Nuances de la couleur du lecteur
field-colour-light = Mode clair
field-colour-dark = Mode sombre
field-origins = Sites web autorisés à utiliser cette clé
field-origins-all = Tous les sites web
field-origins-only = Seulement ceux-ci :
field-origins-label = Origines autorisées, une par ligne
field-origins-hint = Une origine par ligne. Empêche d’autres sites web d’utiliser une copie de la clé dans les navigateurs de leurs visiteurs. Cela n’arrête pas les programmes, qui peuvent envoyer n’importe quelle origine ou aucune : toute personne qui possède la clé peut l’utiliser depuis un serveur.
field-changed = Ce champ a été changé entre-temps en « { $value } ». Enregistrez à nouveau pour le remplacer.
field-cleared = Ce champ a été vidé entre-temps. Enregistrez à nouveau pour le remplacer.
