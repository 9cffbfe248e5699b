/** Texts of the world, in German. */

import type { WorldTexts } from './en.ts'

export const texts: WorldTexts = {
  name: 'Eine kleine Welt',
  description:
    'Eine kleine Welt aus Dateien, Datensätzen, einem Bildschirm, dem Wetter und einem Agenten, von einer Webseite über MCP lesbar.',
  lead: 'Dateien eines Projekts, ein wachsendes Protokoll, eine Tabelle, ein Bildschirm, das Wetter und ein Agent mit einem Prompt: je eines der Dinge, für die Ressourcen von MCP gemacht sind. Alles ist erfunden und ändert sich vor aller Augen.',
  instructions: 'Eine erfundene Welt, um Ressourcen auszuprobieren; alles ändert sich von selbst.',
  served: 'Lesbar',
  others: 'Vorlagen und Prompts',
  now: 'In diesem Augenblick',
  weatherAt: 'Wetter bei {station}',
  weather: '{condition}, {temperature} °C, {humidity} % Luftfeuchte',
  conditions: { Clear: 'Klar', Cloudy: 'Bewölkt', Rain: 'Regen' },
  log: 'Protokoll',
  logOpened: 'das Protokoll wurde geöffnet',
  writeLog: 'Ins Protokoll schreiben',
  changeWeather: 'Das Wetter ändern',
  edit: '{file} bearbeiten',
  addFile: '{file} hinzufügen',
  removeFile: '{file} entfernen',
  changed: 'geändert {when}',
  readAt: 'gelesen {when}',
  question: '„Wie ist das Wetter an Station 12345?“',
  contents: 'Inhalt von {name}',
  things: {
    'file:///project/src/main.rs': {
      title: 'Das Programm',
      description: 'Hier beginnt es: begrüßt, wer es startet',
      text: '// Begrüßt, wer es startet.\nfn main() {\n    let name = std::env::args().nth(1);\n    println!("Hallo, {}!", name.unwrap_or("Seite".into()));\n}\n',
    },
    'file:///project/README.md': {
      title: 'Über das Projekt',
      description: 'Was das Programm tut, und wo',
      text: '# Gruß\n\nEin Programm aus einer Datei: `src/main.rs` sagt Hallo.\n',
    },
    'file:///project/': {
      title: 'Der Ordner des Projekts',
      description: 'Die Namen der Dateien darin',
    },
    'file:///example.txt': {
      description: 'Ein Text aus einer Zeile',
      text: 'Eine Zeile Text zum Lesen.\n',
    },
    'file:///example.png': { description: 'Ein Bild aus einem Pixel' },
    'git://project/commits/main': {
      title: 'Letzter Commit',
      description: 'Der letzte Commit des Zweigs main',
    },
    'file:///media/chime.wav': {
      title: 'Klang',
      description: 'Ein Ton von 440 Hz, eine Zwanzigstelsekunde',
    },
    'file:///media/test.webm': {
      title: 'Testbild',
      description: 'Zwei Einzelbilder eines Testbilds, eine Sekunde',
    },
    'file:///home/user/documents/report.pdf': {
      title: 'Bericht',
      description: 'Eine leere Seite',
    },
    'file:///logs/app.log': {
      name: 'Protokoll der Anwendung',
      description: 'Was die Anwendung tat, eine Zeile je Ereignis',
      text: '12:00:00 gestartet\n',
    },
    'postgres://database/customers/schema': {
      name: 'Kundschaft',
      description: 'Die Spalten der Tabelle customers',
    },
    'screen://localhost/display1': {
      name: 'Bildschirm 1',
      description: 'Was der erste Bildschirm zeigt',
    },
    'weather://data/12345': {
      name: 'Wetter an Station 12345',
      description: 'Die letzte Messung',
    },
    'beeos://agent/config': {
      name: 'Konfiguration des Agenten',
      description: 'Wie der Agent heißt, welches Modell er nutzt und was er kann',
    },
    'beeos://agent/skills': {
      name: 'Fähigkeiten des Agenten',
      description: 'Ein Eintrag je Fähigkeit: Name und Zweck',
      text: '[{"name":"web_search","about":"sucht im Web"},{"name":"summarize","about":"schreibt eine Zusammenfassung"}]',
    },
  },
  templates: {
    'file:///{path}': {
      name: 'Dateien des Projekts',
      title: '📁 Dateien des Projekts',
      description: 'Jede Datei, nach ihrem Pfad',
    },
    'weather://data/{station}': {
      name: 'Wetter nach Station',
      description: 'Die letzte Messung einer beliebigen Station',
    },
  },
  prompt: {
    description: 'Bittet den Agenten, ein Thema zu untersuchen und zusammenzufassen',
    topic: 'Was untersucht werden soll',
    depth: 'Wie gründlich: brief, standard oder deep',
    brief: 'Stelle {topic} in drei Sätzen vor.',
    standard: 'Untersuche {topic} und schreibe eine Zusammenfassung von einer Seite.',
    deep: 'Untersuche {topic} gründlich: neue Fortschritte, wer daran arbeitet, wo es benutzt wird.',
  },
}
