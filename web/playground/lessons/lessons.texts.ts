export const en = {
  learn: 'Lessons',
  progress: '{count} of {of} completed',
  show: 'Conversations',
  own: 'Your scenarios',
  open: 'Open scenario (.txtar)',
  notOpened: 'This is not a scenario: {reason}',
  minutes: { one: '{count} minute', other: '{count} minutes' },
  done: 'completed',
  present: 'Present',
  presentThis: 'Present: {title}',
  step: 'Step {step} of {steps}',
  right: 'Correct.',
  leave: 'Leave',
  back: 'Back',
  next: 'Next',
  again: 'Start again',
  showMe: 'Show solution',
  nextLesson: 'Next lesson',
  hintNoJson: 'The message is not a JSON object.',
  hintBreakIt: 'This is valid JSON. This time it must be malformed.',
  hintId: 'A request needs an `id`; without one it is a notification.',
  hintNoId: 'Remove the `id`: notifications have none.',
  hintMethod: 'The `method` should be `{want}`.',
  hintMissing: '`{path}` is missing: it should be `{want}`.',
  hintValue: '`{path}` should be `{want}`, and is `{got}`.',
  missingMessage: 'The server did not send the expected message:',
  differentMessage: 'The server sent another message than expected:',
  auto: 'Autoplay',
  blank: 'Blank screen',
  fullScreen: 'Full screen',
  client: 'Client {letter}',
  live: 'Live messages',
  assistant: 'Assistant',
  you: 'User',
  chat: 'Chat with the assistant',
  scripted: 'Scripted: no model is used. The messages are real.',
} as const

declare module '../locale/texts.ts' {
  interface English {
    lessons: typeof en
  }
}
