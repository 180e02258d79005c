# Quotas, drawn as bars.

quota-storage = Speicher
quota-tracks = Titel
quota-minutes = Minuten
quota-records = Datensätze
quota-metadata = Metadaten
quota-used = { $used } von { $limit } genutzt
quota-title = Kontingente
quota-full = Voll
quota-hint = Ist ein Kontingent voll, werden neue Titel abgelehnt. Die Dateien gelöschter Titel zählen, bis sie endgültig entfernt werden. Der Betreiber dieses Dienstes legt die Kontingente fest.
