/**
 * Icons of the playground's sprite, playground/icons.svg, as paths: a reference to that file keeps Chromium from firing
 * `load` in a tab in the background. A test compares them with the sprite,
 * where the pupil of the eye is a circle.
 */
export const icons = {
  close: 'm4 4 8 8m0-8-8 8',
  down: 'm4 6 4 4 4-4',
  eye: 'M1.5 8C3 5 5.3 3.5 8 3.5S13 5 14.5 8C13 11 10.7 12.5 8 12.5S3 11 1.5 8ZM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z',
  plus: 'M8 3v10M3 8h10',
  trash: 'M2.5 4.5h11M6 4.5V2.5h4v2m-6 0 .6 9h6.8l.6-9m-5 2.5v4m2.5-4v4',
} as const

export type IconName = keyof typeof icons
