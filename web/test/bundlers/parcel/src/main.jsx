import { createRoot } from 'react-dom/client'
import { Mcp } from './provider.jsx'
import { Served } from './served.jsx'

createRoot(document.querySelector('main')).render(
  <Mcp>
    <Served />
  </Mcp>,
)
