/** Texts of the reader, in German. */

import type { ReaderTexts } from './en.ts'

export const texts: ReaderTexts = {
  name: 'Artikel',
  description:
    'Warum Teig über Nacht besser wird: ein Artikel, den ein Assistent mitlesen kann, Abschnitt für Abschnitt, über PageMCP.',
  instructions:
    'Ein Artikel, den die Person an diesem Browser liest. Einen Abschnitt vor dem Zitieren lesen.',
  smaller: 'Kleinerer Text',
  larger: 'Größerer Text',
  notes: 'Eigene Notizen',
  notesLabel: 'Eigene Notizen zu diesem Artikel',
  notesHint: 'Nur für private Gedanken, die in diesem Browser bleiben.',
  never: 'Mit `data-mcp-private` markiert: Kein Assistent liest es',
  readAt: 'Von einem Assistenten gelesen um {when}',
  noneRead: 'Noch ist nichts von diesem Artikel gelesen worden.',
  tally: { other: '{count} von {all} Abschnitten sind gelesen worden.' },
  question: '„Wie lange darf mein Teig im Kühlschrank bleiben?“',
  lightsUp: 'Der Abschnitt, den er liest, leuchtet auf.',
  offer: 'Was lesbar ist',
  offered:
    'Der Artikel als Text, Gliederung oder Markdown, ganz oder nach Abschnitten; Titel und Adresse der Seite; die gewählte Textgröße. Und die Auswahl:',
  select: 'Einen Satz des Artikels auswählen.',
  neverTyped: 'Niemals Eingaben oder eigene Notizen.',
  article: {
    paper: 'Die langsame Küche',
    kicker: 'Backen',
    title: 'Das Brot warten lassen',
    standfirst:
      'Ein Laib braucht vier Zutaten und eine Nacht. Die Nacht erledigt das meiste und verlangt nichts dafür.',
    opening1:
      'Die meisten Rezepte behandeln Zeit als den Preis des Brotes: eine Stunde gehen lassen, eine Stunde ruhen lassen, und ginge es nicht schneller? Es ginge. Warmes Wasser und doppelt so viel Hefe heben einen Teig in vierzig Minuten. Heraus kommt ein hohes, blasses Brot, das nach wenig schmeckt, denn ein gehetzter Teig ist nur mit Gas gefüllt.',
    opening2:
      'Derselbe Teig kommt stattdessen in den Kühlschrank, und alle gehen schlafen. Am Morgen ist er kaum gewachsen. Aufgeschnitten riecht er nach etwas zwischen Äpfeln, Joghurt und warmem Heu. Nichts kam hinzu. Er hat gewartet.',
    night: 'Was im Dunkeln geschieht',
    night1:
      'Hefe und Bakterien teilen sich den Teig, und die Kälte bremst sie nicht gleich stark. Die Hefe, die das Gas macht, kommt bei fünf Grad fast zum Stillstand. Die Bakterien, die Säure bilden, machen weiter, und ebenso die Enzyme des Mehls: Sie zerlegen lange Stärke in Zucker, der die Kruste bräunt, und lange Eiweiße in Stücke, mit denen sich der Teig dehnt, ohne zu reißen.',
    chart: 'Volumen und Aroma eines Teigs in vierundzwanzig Stunden bei fünf Grad',
    volume: 'Volumen',
    flavour: 'Aroma',
    caption:
      'In der Kälte gewinnt ein Teig an Aroma, lange nachdem er aufgehört hat zu wachsen. (Eine Skizze, keine Messung.)',
    night2:
      'Der Kühlschrank hält die Uhr also nicht an. Er lässt zwei Uhren verschieden schnell laufen, und die langsame holt auf.',
    times: 'Wie lange lang genug ist',
    times1:
      'Die Temperatur entscheidet. Die Tabelle gilt für einen einfachen Teig aus 500 g Mehl, 350 g Wasser, 10 g Salz und 2 g Trockenhefe; dem Teig ist mehr zu trauen als der Uhr.',
    tableCaption: 'Gehzeiten eines Teigs',
    where: 'Wo',
    temperature: 'Temperatur',
    time: 'Zeit',
    taste: 'Geschmack',
    oven: 'Ofen, nur Lampe',
    kitchen: 'Küche',
    cellar: 'Keller',
    refrigerator: 'Kühlschrank',
    hours1: '1½ Stunden',
    hours4: '4 Stunden',
    hours12: '12 Stunden',
    hours24: '24–48 Stunden',
    plain: 'schlicht',
    mild: 'mild',
    nutty: 'nussig',
    full: 'voll, leicht sauer',
    times2:
      'Nach drei Tagen gibt das Klebereiweiß nach: Der Teig läuft auseinander, und der Laib wird flach. Für ein sehr gutes Fladenbrot reicht er immer noch.',
    order: 'Mehl per Post',
    order1:
      'Unsere Mühle schickt zwei Kilogramm des Mehls, mit dem diese Brote gebacken wurden. Nichts in diesem Formular verlässt die Seite: Es zeigt, dass ein Assistent erfährt, wie die Felder heißen, und niemals, was darin steht.',
    person: 'Name',
    personHint: 'Ada Müller',
    email: 'E-Mail',
    card: 'Kartennummer',
    submit: 'Zwei Kilogramm bestellen',
    thanks: 'Danke. Wie versprochen wurde nichts gesendet.',
  },
}
