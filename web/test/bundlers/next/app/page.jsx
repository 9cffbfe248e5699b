import { Mcp } from './provider.jsx'
import { Served } from './served.jsx'

export default function Page() {
  return (
    <Mcp>
      <Served />
    </Mcp>
  )
}
