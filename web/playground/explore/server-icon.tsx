/** @jsxImportSource preact */
import type { Icon } from '../connections/catalogue.ts'

/** An icon of the server, if it is a data URL: nothing is fetched because a server named it. */
export function ServerIcon({ icons }: { icons?: readonly Icon[] }) {
  const own = icons?.find(({ src }) => /^data:image\/(png|jpeg|gif|webp|svg\+xml)[;,]/i.test(src))
  return own ? <img src={own.src} alt="" width="20" height="20" /> : null
}
