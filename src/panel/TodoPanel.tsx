import {
  type ForwardedRef,
  forwardRef,
  memo,
  type NamedExoticComponent,
  type ReactElement,
  type RefAttributes,
} from 'react'
import { TodoPanelActions } from './parts/TodoPanelActions.tsx'
import { TodoPanelAdd } from './parts/TodoPanelAdd.tsx'
import { TodoPanelBar } from './parts/TodoPanelBar.tsx'
import { TodoPanelDraft } from './parts/TodoPanelDraft.tsx'
import { TodoPanelEmpty } from './parts/TodoPanelEmpty.tsx'
import { TodoPanelHeader } from './parts/TodoPanelHeader.tsx'
import { TodoPanelItem } from './parts/TodoPanelItem.tsx'
import { TodoPanelItemContent } from './parts/TodoPanelItemContent.tsx'
import { TodoPanelItemDetails } from './parts/TodoPanelItemDetails.tsx'
import { TodoPanelItemEdit } from './parts/TodoPanelItemEdit.tsx'
import { TodoPanelItemStatus } from './parts/TodoPanelItemStatus.tsx'
import { TodoPanelList } from './parts/TodoPanelList.tsx'
import { TodoPanelMore } from './parts/TodoPanelMore.tsx'
import { TodoPanelNotice } from './parts/TodoPanelNotice.tsx'
import { TodoPanelNotices } from './parts/TodoPanelNotices.tsx'
import { TodoPanelOutcome } from './parts/TodoPanelOutcome.tsx'
import { TodoPanelProgress } from './parts/TodoPanelProgress.tsx'
import { TodoPanelRoot, type TodoPanelRootProps, type TodoPanelVariant } from './parts/TodoPanelRoot.tsx'
import { TodoPanelSheet } from './parts/TodoPanelSheet.tsx'

// `children` would take the place of the parts: who wants that composes <TodoPanel.Root>.
type WithoutChildren<Props> = Props extends unknown ? Omit<Props, 'children'> : never

/** Props of {@link TodoPanel}: a session or plain values, the options of a panel, and those of a `<section>`. */
export type TodoPanelProps = WithoutChildren<TodoPanelRootProps>

/**
 * The todo list of an agent as the person sees it: live, with its progress, what the run is up to, and the
 * one thing to do about it. Takes a `session`, or plain `todos` of an agent that runs elsewhere.
 *
 * Composed of parts that stand alone too: `TodoPanel.Root`, `.Header`, `.Progress`, `.List`, `.Item` with
 * `.ItemStatus`, `.ItemContent`, `.ItemDetails`, `.ItemEdit` and `.Draft`, `.More`, `.Add`, `.Empty`, `.Notices` with `.Notice`,
 * `.Outcome`, `.Actions`, `.Bar` and `.Sheet`. Needs `styles.css` for its look and nothing for its function.
 *
 * @example
 * <TodoPanel session={agent.session} />
 * @example
 * const list = await session.listAt(message.id)
 * return <TodoPanel variant="inline" todos={list?.todos ?? []} />
 * @example
 * <TodoPanel todos={[{ id: 1, content: 'Read the orders', status: 'in_progress' }]} />
 */
export const TodoPanel = /* @__PURE__ */ Object.assign(
  // Memo, since the chat around it renders with each token of text. Its own type would keep one member of the
  // union of props.
  memo(
    forwardRef(function TodoPanel(props: TodoPanelProps, ref: ForwardedRef<HTMLElement>): ReactElement {
      const { variant = 'card' } = props
      const Variant = variants[variant]
      if (!Variant) {
        throw new TypeError(`\`variant\` of a panel is ${variant}. Let it be card, bar or inline.`)
      }
      return (
        <TodoPanelRoot {...(props as TodoPanelRootProps)} ref={ref}>
          <Variant />
        </TodoPanelRoot>
      )
    }),
  ) as unknown as NamedExoticComponent<TodoPanelProps & RefAttributes<HTMLElement>>,
  {
    Root: TodoPanelRoot,
    Header: TodoPanelHeader,
    Progress: TodoPanelProgress,
    List: TodoPanelList,
    Item: TodoPanelItem,
    ItemStatus: TodoPanelItemStatus,
    ItemContent: TodoPanelItemContent,
    ItemDetails: TodoPanelItemDetails,
    ItemEdit: TodoPanelItemEdit,
    Draft: TodoPanelDraft,
    More: TodoPanelMore,
    Add: TodoPanelAdd,
    Empty: TodoPanelEmpty,
    Notices: TodoPanelNotices,
    Notice: TodoPanelNotice,
    Outcome: TodoPanelOutcome,
    Actions: TodoPanelActions,
    Bar: TodoPanelBar,
    Sheet: TodoPanelSheet,
  },
)

const variants = { card: Card, bar: Bar, inline: Inline } satisfies Record<TodoPanelVariant, unknown>

function Card({ collapsible = true }: { collapsible?: boolean }): ReactElement {
  return (
    <>
      <TodoPanelHeader collapsible={collapsible} />
      <TodoPanelProgress />
      <TodoPanelList />
      <TodoPanelMore />
      <TodoPanelEmpty />
      <TodoPanelAdd />
      <TodoPanelNotices />
      <TodoPanelOutcome />
      <TodoPanelActions />
    </>
  )
}

function Bar(): ReactElement {
  return (
    <>
      <TodoPanelBar />
      <TodoPanelSheet>
        <Card collapsible={false} />
      </TodoPanelSheet>
    </>
  )
}

function Inline(): ReactElement {
  return (
    <>
      <TodoPanelHeader />
      <TodoPanelList />
      <TodoPanelMore />
      <TodoPanelEmpty />
    </>
  )
}
