import * as module from './total.ts'

let { total } = module
const cart = [{ price: 2 }, { price: 3 }]

document.querySelector('button').onclick = () => {
  document.querySelector('output').textContent = total(cart)
}

import.meta.hot?.accept('./total.ts', (updated) => {
  total = updated.total
})
