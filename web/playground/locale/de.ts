export { default as texts } from '../../texts/playground.de.json' with { type: 'json' }
