import { startMcp } from './mcp.js'

startMcp()
