/** Whether all combinations are tested, as in `make test-all`: browsers, languages, themes, widths, and with animations. */
export const isWhole = process.env.PAGEMCP_ALL === 'true'
