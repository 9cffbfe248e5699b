export const inspect = {} as const
