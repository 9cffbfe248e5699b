/** Texts of the reader, in English: `article` is the content of the page. */

import type { Plural } from '../../shared/texts.ts'

const tally: Plural = { other: '{count} of {all} sections have been read.' }

const article = {
  paper: 'The Slow Kitchen',
  kicker: 'Baking',
  title: 'Let the bread wait',
  standfirst:
    'A loaf needs four ingredients and a night. The night does most of the work, and asks for nothing.',
  opening1:
    'Most recipes treat time as the price of bread: an hour to rise, an hour to prove, and could it not go faster? It could. Warm water and twice the yeast will lift a dough in forty minutes. What comes out is tall, pale and tastes of nothing much, because a dough that is hurried is a dough that is only filled with gas.',
  opening2:
    'Put the same dough into the refrigerator instead, and go to bed. By morning it has hardly grown. But cut it open and smell it: something between apples, yoghurt and warm hay. Nothing was added. It waited.',
  night: 'What happens in the dark',
  night1:
    'Yeast and bacteria share the dough, and the cold does not slow them alike. Yeast, which makes the gas, nearly stops at five degrees. The bacteria that make acid go on, and so do the enzymes of the flour itself: they cut long starches into sugars, which will brown the crust, and long proteins into pieces that let the dough stretch without tearing.',
  chart: 'Volume and flavour of a dough over twenty-four hours at five degrees',
  volume: 'volume',
  flavour: 'flavour',
  caption:
    'In the cold a dough gains flavour long after it has stopped to grow. (A sketch, not a measurement.)',
  night2:
    'So the refrigerator does not stop the clock. It runs two clocks at different speeds, and lets the slow one catch up.',
  times: 'How long is long enough',
  times1:
    'Temperature decides. The table is for a plain dough of 500 g of flour, 350 g of water, 10 g of salt and 2 g of dry yeast; trust the dough more than the clock.',
  tableCaption: 'Rising times of one dough',
  where: 'Where',
  temperature: 'Temperature',
  time: 'Time',
  taste: 'Taste',
  oven: 'Oven, lamp on',
  kitchen: 'Kitchen',
  cellar: 'Cellar',
  refrigerator: 'Refrigerator',
  hours1: '1½ hours',
  hours4: '4 hours',
  hours12: '12 hours',
  hours24: '24–48 hours',
  plain: 'plain',
  mild: 'mild',
  nutty: 'nutty',
  full: 'full, a little sour',
  times2:
    'After three days the gluten gives in: the dough spreads, and the loaf is flat. It still makes the best flatbread you ever had.',
  order: 'Flour by post',
  order1:
    'Our miller sends two kilograms of the flour that these loaves were baked with. Nothing in this form leaves the page: it is here to show that an assistant learns what the fields are called, and never what is in them.',
  person: 'Name',
  personHint: 'Ada Miller',
  email: 'E-mail',
  card: 'Card number',
  submit: 'Order two kilograms',
  thanks: 'Thank you. As promised, nothing was sent.',
}

export const texts = {
  name: 'Reader',
  description:
    'Why dough gets better overnight: an article that an assistant can read with you, section by section, through PageMCP.',
  instructions: 'An article that the user is reading. Read a section before you quote it.',
  smaller: 'Smaller text',
  larger: 'Larger text',
  notes: 'Your notes',
  notesLabel: 'Your notes on this article',
  notesHint: 'Only for you. They stay in this browser.',
  never: 'Marked `data-mcp-private`: no assistant reads it',
  readAt: 'Read by an assistant at {when}',
  noneRead: 'Nothing of this article has been read yet.',
  tally,
  question: '“How long may my dough stay in the refrigerator?”',
  lightsUp: 'The section that it reads lights up.',
  offer: 'What it can read',
  offered:
    'The article as text, outline or Markdown, as a whole or by section; the title and address of the page; how large you like your text. And what you select:',
  select: 'Select a sentence of the article.',
  neverTyped: 'Never what you type, nor your notes.',
  article,
}

export type ReaderTexts = typeof texts
