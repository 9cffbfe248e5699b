export { default as texts } from '../../texts/playground.zh-Hans.json' with { type: 'json' }
