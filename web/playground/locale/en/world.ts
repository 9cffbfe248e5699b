export const world = {} as const
