import { Dev } from './dev.jsx'

export const metadata = { title: 'shop' }

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <Dev />
        {children}
      </body>
    </html>
  )
}
