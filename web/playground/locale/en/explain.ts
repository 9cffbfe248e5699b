export const explain = {} as const
