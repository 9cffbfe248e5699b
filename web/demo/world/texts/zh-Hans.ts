/** Texts of the world, in simplified Chinese. The agent speaks Chinese in world.json already. */

import type { WorldTexts } from './en.ts'

export const texts: WorldTexts = {
  name: '小世界',
  description: '由文件、记录、屏幕、天气和智能体组成的小世界，由网页通过 MCP 提供。',
  lead: '项目的文件、不断增长的日志、一张表、一块屏幕、天气，以及一个带提示词的智能体：MCP 资源所针对的数据各有一种。一切都是虚构的，而且随时在变。',
  instructions: '用来试用资源的虚构世界。它随时在变。',
  served: '已提供',
  others: '模板和提示词',
  now: '此刻',
  weatherAt: '{station} 站的天气',
  weather: '{condition}，{temperature} °C，湿度 {humidity} %',
  conditions: { Clear: '晴', Cloudy: '多云', Rain: '雨' },
  log: '日志',
  logOpened: '日志被打开',
  writeLog: '写入日志',
  changeWeather: '改变天气',
  edit: '编辑 {file}',
  addFile: '添加 {file}',
  removeFile: '删除 {file}',
  changed: '{when} 修改',
  readAt: '{when} 读取',
  question: '“12345 站的天气怎么样？”',
  contents: '{name}的内容',
  things: {
    'file:///project/src/main.rs': {
      title: '程序',
      description: '从这里开始：向启动它的人问好',
      text: '// 向启动它的人问好。\nfn main() {\n    let name = std::env::args().nth(1);\n    println!("你好，{}！", name.unwrap_or("网页".into()));\n}\n',
    },
    'file:///project/README.md': {
      title: '关于项目',
      description: '程序的用途和位置',
      text: '# 问候\n\n只有一个文件的程序：`src/main.rs` 会问好。\n',
    },
    'file:///project/': { title: '项目文件夹', description: '其中文件的名称' },
    'file:///example.txt': {
      description: '一行文本',
      text: '一行供读取的文本。\n',
    },
    'file:///example.png': { description: '一个像素的图片' },
    'git://project/commits/main': { title: '最新提交', description: '分支 main 上的最后一次提交' },
    'file:///media/chime.wav': { title: '提示音', description: '440 Hz 的声音，二十分之一秒' },
    'file:///media/test.webm': { title: '测试画面', description: '测试画面的两帧，一秒' },
    'file:///home/user/documents/report.pdf': { title: '报告', description: '一张空白页' },
    'file:///logs/app.log': {
      name: '应用日志',
      description: '应用做了什么，每个事件一行',
      text: '12:00:00 已启动\n',
    },
    'postgres://database/customers/schema': {
      name: '客户',
      description: '表 customers 的各列',
    },
    'screen://localhost/display1': {
      name: '显示器 1',
      description: '第一台显示器上的内容',
    },
    'weather://data/12345': { name: '12345 站的天气', description: '最新的测量结果' },
  },
  templates: {
    'file:///{path}': {
      name: '项目文件',
      title: '📁 项目文件',
      description: '按路径指定的任何文件',
    },
    'weather://data/{station}': { name: '各站天气', description: '任何一站的最新测量结果' },
  },
  prompt: {
    description: '请智能体研究一个主题，写出摘要',
    topic: '研究什么',
    depth: '研究多深：brief、standard 或 deep',
    brief: '请用三句话介绍{topic}。',
    standard: '请研究{topic}，并写一页摘要。',
    deep: '请深入研究{topic}：最近的进展、有哪些人在做、用在哪里。',
  },
}
