/** Texts of the trip, in English. */

import type { Plural } from '../../../src/translation.ts'

const stops: Plural = { one: 'stop', other: 'stops' }
const nights: Plural = { one: '{count} night', other: '{count} nights' }
const nightsInAll: Plural = { one: 'night', other: 'nights' }
const more: Plural = { one: '{place}: one night more', other: '{place}: {count} nights more' }
const full: Plural = { other: 'The trip has {count} stops already' }
const proposes: Plural = {
  one: 'An assistant proposes {place}, one night',
  other: 'An assistant proposes {place}, {count} nights',
}
const pack: Plural = {
  one: 'What should I pack for one night in {season}: {places}?',
  other: 'What should I pack for {count} nights in {season}: {places}?',
}

export const texts = {
  name: 'Trip',
  description:
    'A trip planner in React whose plan an assistant can read, and add to, through PageMCP.',
  lead: 'A trip planner written in React. What its components show is served as long as they are there: an assistant can read the plan, and add a stop to it while you watch.',
  question: '“Add two days in Porto to my trip.”',
  plan: 'Plan',
  planDescription: 'The stops of the trip, in their order, with nights',
  stops,
  nights,
  nightsInAll,
  none: 'No stops yet. Where to?',
  byAssistant: 'added by an assistant',
  less: 'One night less in {place}',
  longer: 'One night more in {place}',
  remove: 'Remove {place}',
  removed: 'Removed {place}.',
  another: 'Another stop',
  add: 'Add',
  addTool: 'Add a stop',
  addDescription: 'Adds a stop at the end of the trip, or nights to a stop that is there',
  town: 'A town',
  more,
  full,
  proposeTool: 'Propose a stop',
  proposeDescription:
    'Proposes a stop that is added if the person in front of the page accepts it there. It returns once they have decided',
  proposes,
  accept: 'Accept',
  refuse: 'Decline',
  waits: 'Waits for a decision about {place} in the page',
  refused: '{place} was declined',
  removeTool: 'Remove a stop',
  removeDescription: 'Takes a stop out of the trip, after asking the person at the assistant',
  noStop: 'No stop in {place}',
  sure: 'Take {place} out of the trip?',
  ok: 'Remove it',
  stays: 'It stays.',
  out: '{place} is out of the trip',
  packTool: 'What to pack',
  packDescription: 'Asks for a packing list for this trip',
  season: 'The season: {seasons}',
  seasons: ['spring', 'summer', 'autumn', 'winter'],
  pack,
  seeds: ['Lisbon', 'Sintra'],
}
