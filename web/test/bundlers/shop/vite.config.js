import pagemcp from 'pagemcp/vite'

export default { plugins: [pagemcp()] }
