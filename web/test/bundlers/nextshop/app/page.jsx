'use client'

import { useState } from 'react'
import { total } from './total.js'

const cart = [{ price: 2 }, { price: 3 }]

export default function Page() {
  const [shown, setShown] = useState('')
  return (
    <>
      <button type="button" onClick={() => setShown(total(cart))}>
        Show the total
      </button>
      <output>{shown}</output>
    </>
  )
}
