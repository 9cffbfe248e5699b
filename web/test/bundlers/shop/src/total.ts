export interface Item {
  price: number
}

type Format = (sum: number) => string

const formats = new Map<string, Format>([['eur', (sum) => sum.toFixed(2)]])

/** The price of all items: 5.00. */
export function total(items: readonly Item[]): string {
  const sum = items.reduce((all, { price }) => all + price, 0)
  const format = formats.get('EUR') as Format
  return format(sum)
}
