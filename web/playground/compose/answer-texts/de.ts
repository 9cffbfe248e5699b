export const answers = {
  accept: 'Annehmen',
  decline: 'Ablehnen',
  visit: '{host} öffnen',
  notWeb: 'Keine Webadresse, wird nicht geöffnet: {url}',
  text: 'Antwort als Modell',
  model: 'Modell',
  addRoot: 'Root hinzufügen',
  capabilities: 'Fähigkeiten des Clients',
  declare: '{ability} deklarieren und erneut senden',
}
