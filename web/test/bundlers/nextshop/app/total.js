const formats = new Map([['eur', (sum) => sum.toFixed(2)]])

/** The price of all items: 5.00. */
export function total(items) {
  const sum = items.reduce((all, { price }) => all + price, 0)
  const format = formats.get('EUR')
  return format(sum)
}
