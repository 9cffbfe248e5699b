/** Texts of the drop, in simplified Chinese. */

import type { DropTexts } from './en.ts'

export const texts: DropTexts = {
  name: '文件筐',
  description: '存放在此浏览器私有文件系统中的文件，助手可以通过 PageMCP 读取。',
  lead: '放在这里的文件只留在此浏览器的私有文件系统中。助手只能读取文件筐里的内容，不能读取别的，也不能修改。',
  instructions: '此浏览器使用者放在这里的文件。',
  drop: '把文件拖放或粘贴到这里',
  choose: '选择文件',
  inDrop: '文件筐里',
  count: { other: '{count} 个文件，{size}' },
  empty: '还没有文件',
  emptyText: '添加自己的文件，或者先用三个示例。',
  samples: '添加示例',
  show: '显示 {name}',
  delete: '删除 {name}',
  deleted: '已删除“{name}”。',
  replaced: '已替换“{name}”。',
  readAt: '{when} 读取',
  preview: '助手读到的内容：',
  cut: '共 {all}，这是最前面的 {size}。',
  binary: '不是文本文件：助手得到的是字节。',
  emptyFile: '这个文件是空的。',
  problem: '{name} 未能保存：{reason}',
  offered: '可读取：文件筐里的文件及其名称。此浏览器的其他内容不会提供。',
  question: '“我放进去的文件里写了什么？”',
  seeds: [
    {
      name: '食谱.md',
      text: '# 梨子塔\n\n- 梨 4 个\n- 面粉 200 克\n- 黄油 100 克\n\n180 °C 烤 40 分钟。\n',
    },
    {
      name: '支出.csv',
      text: '日期,项目,欧元\n2026-11-02,火车,38.50\n2026-11-09,酒店,124.00\n2026-11-17,博物馆,16.00\n',
    },
    { name: '设置.json', text: '{\n  "language": "zh-Hans",\n  "units": "metric"\n}\n' },
  ],
}
