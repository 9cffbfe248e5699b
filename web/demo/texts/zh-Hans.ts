/** Texts of the start page, in simplified Chinese. */

import type { StartTexts } from './en.ts'

export const texts: StartTexts = {
  description: 'PageMCP 把网页变成 MCP 服务器。',
  title: '你的网页就是 MCP 服务器。',
  lead: '此浏览器中的引擎提供网页里的内容，助手通过本机的网关读取，并把读取的内容发送给其模型的提供商。',
  docs: '文档',
  playground: '打开演练场',
  playgroundAbout: '编写 MCP 消息，查看返回的内容，学习课程。无需安装。',
  scene: {
    page: '购物',
    item: '柠檬',
    added: '橄榄油',
    ask: '还要买什么？',
    reply: '柠檬和橄榄油。',
  },
  state: {
    looking: ['正在查找网关', '请稍候。'],
    paired: ['此浏览器已配对', '演示会自动加入网关，现在如此，每次重新加载后也如此。'],
    silent: ['网关没有响应', '“pagemcp dev”还在运行吗？本页会继续尝试。'],
    expired: [
      '此链接已过期，或者已经用过',
      '请在运行“pagemcp dev”的终端里按回车键，然后打开显示的链接。',
    ],
    unpaired: [
      '此浏览器尚未配对',
      '请打开“pagemcp dev”在终端里显示的链接。在那里按回车键会得到新链接。',
    ],
    failed: ['配对失败', ''],
  },
  demos: '演示',
  demosAbout: '助手可以读取的网页应用。',
  implementers: '面向实现者',
  connect: '连接助手',
  pending: '正在查询地址…',
  noGateway: '助手连接到网关，即你电脑上的一个程序。`pagemcp dev` 会启动它和这些演示。',
  ask: '然后问它点什么',
  askText: '“还要买什么？”在购物清单里加点东西，再问一次：助手会收到便笺已更改的通知。',
  copy: '复制',
  copyWay: '复制：{title}',
  copied: '已复制',
  pressCopy: '请按 Ctrl+C',
  noToken: '不需要令牌。',
  tokenIn: '持有者令牌是 {file} 里的那一行。',
  claude: '在终端里运行，然后请它读取便笺。',
  vsCode: '在终端里运行，然后用“MCP: List Servers”启动服务器。',
  others: '其他助手',
  othersHint: '列出同一命令可用的名称。需要手动填写的内容在下面。',
  curl: '或者任何 HTTP 客户端：协议 2026-07-28 不需要握手。',
  command: '启动命令的助手',
  commandHint: '它们不需要令牌。',
  demoTexts: {
    notes: {
      title: '便笺',
      text: '使用 IndexedDB 的便笺应用。助手读取便笺，并在更改时收到通知；你能看到它们读了什么。',
      sample: ['购物', '柠檬', '橄榄油'],
    },
    trip: {
      title: '旅行',
      text: '用 React 写的旅行计划。助手读取计划，当着你的面添加一站，删除之前会先询问。',
      sample: ['里斯本', '辛特拉', '波尔图'],
    },
    tasks: {
      title: '任务',
      text: '使用 Dexie 的任务清单。助手按编号、状态或日期读取任务，任何标签页里的更改都会收到通知。',
      sample: ['给植物浇水', '预约牙医', '烤面包'],
    },
    board: {
      title: '便笺板',
      text: '每个打开的标签页是一张便笺。助手通过任何一个标签页都能读取全部便笺。',
      sample: ['帐篷', '椅子', '木炭'],
    },
    drop: {
      title: '文件筐',
      text: '把文件放进此浏览器的私有文件系统。助手可以列出和读取，并在每次更改时收到通知。',
      sample: ['食谱.md', '支出.csv'],
    },
    reader: {
      title: '文章',
      text: '助手读取文章的各节或选中的内容；读过的部分会突出显示，输入的内容留在本页。',
      sample: ['让面包等一等'],
    },
    world: {
      title: '小世界',
      text: '文件、日志、表、屏幕、天气，以及带提示词的智能体：各种数据各有一份，全都在变。',
      sample: ['22 °C', '晴'],
    },
    conformance: {
      title: '一致性测试',
      text: '协议官方测试的对象：提示词、工具、进度、征询，以及请求记录。',
      sample: ['resources', 'prompts', 'tools'],
    },
  },
}
