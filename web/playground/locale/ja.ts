export { default as texts } from '../../texts/playground.ja.json' with { type: 'json' }
