'use client'

import { useEffect } from 'react'

export function Dev() {
  useEffect(() => {
    if (process.env.NODE_ENV === 'development') {
      import('pagemcp/dev').then(({ dev }) => dev({ name: 'shop-dev' }))
    }
  }, [])
  return null
}
