/** Skills for the scenarios of SEP-2640: one alone, one in directories with files. */

import type { PageMcp } from 'pagemcp'

export function serveSkills(mcp: PageMcp): void {
  const license = 'MIT'
  mcp.skill(
    {
      name: 'git-workflow',
      description: 'How branches and commits are named in this project.',
      license,
    },
    '# Git workflow\n\nBegin the name of a branch with the number of its issue.\n',
  )
  mcp.skill(
    { name: 'refunds', description: 'How an order is refunded.', metadata: { version: '1.2' } },
    '# Refunds\n\nWrite as in `examples/e-mail.md`. `assets/stamp.bin` is binary.\n',
    {
      path: 'acme/billing',
      files: {
        'examples/e-mail.md': 'Dear customer,\n\nyour refund is on its way.\n',
        'assets/stamp.bin': new Uint8Array([0, 127, 128, 255]),
      },
    },
  )
  mcp.skill(
    {
      name: 'pdf-processing',
      description: 'Extracts text from documents, and fills forms.',
      license,
      metadata: { author: 'conformance' },
    },
    '# PDF processing\n',
  )
}
