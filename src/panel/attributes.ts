/**
 * The panel's contract with stylesheets and tests: each attribute and custom property, with one sentence. A
 * test fails when the parts and this list drift apart. An attribute that says yes or no is present or absent
 * and has no value.
 */
export const panelAttributes = {
  Root: {
    'data-variant': 'The variant: `card`, `bar` or `inline`.',
    'data-open': 'Present while the list is shown.',
    'data-live': 'Present once the panel has been seen, so that what comes later can move in.',
    'data-hidden': 'Present while `whenDone` or `whenEmpty` hides the panel.',
    'data-editable': 'Present while the person can ask for changes of the list.',
    'data-empty': 'Present while there is neither a todo nor a draft.',
    'data-plan': 'Present while the list is a plan that nothing of has begun.',
    'data-mode': 'The name of the mode, when there is one.',
    'data-run': 'What the run does: `idle`, `running` or `interrupted`. Not there when inline.',
    'data-outcome': 'How the last run ended, when it has.',
    'data-persistence': 'Whether the list is safe, e.g. `saved` or `failed`.',
    'data-driver': 'Which tab may run the session: `self`, `other` or `none`.',
  },
  Header: {
    'data-open': 'Present while the list is shown.',
  },
  Progress: {
    'data-continuous':
      'Present when the bar is one piece, since there are too many items for one segment each.',
    'data-complete': 'Present when every item is done.',
  },
  Segment: {
    'data-status': 'The status of the item that the segment stands for.',
    'data-current': 'Present on the segment of the current item.',
    'data-paused': 'Present on the segment of an item in progress whose run is not running.',
  },
  List: {
    'data-scrollable': 'Present while the list is longer than the room it has.',
  },
  Item: {
    'data-status': 'The status of the todo.',
    'data-current': 'Present on the one item that is being worked on, running or paused.',
    'data-paused': 'Present on an item in progress whose run is not running.',
    'data-draft': 'On an item that is not committed: `partial` while its text is arriving, `complete` after.',
  },
  ItemStatus: {
    'data-status': 'The state of the row in one word: the status of the todo, `paused` or `draft`.',
  },
  ItemEdit: {
    'data-editing': 'Present while the line to write in is open.',
  },
  Add: {
    'data-editing': 'Present while the line to write in is open.',
  },
  Draft: {
    'data-draft': 'How far the draft is: `partial` while its text is arriving, `complete` after.',
  },
  More: {
    'data-expanded': 'Present while all rows are shown.',
  },
  Outcome: {
    'data-outcome': 'How the run ended.',
  },
  Notice: {
    'data-kind': 'What it is about: `correction`, `interrupted`, `other_tab`, `persistence` or `outcome`.',
    'data-tone': 'How pressing it is: `info`, `quiet`, `warn` or `bad`.',
  },
  Bar: {
    'data-open': 'Present while the card is open over the content.',
    'data-status': 'The state of the line: the status of an item, `paused` or `draft`.',
  },
} as const satisfies Record<string, Record<`data-${string}`, string>>

/**
 * The custom properties that the stylesheet reads, with the default of each. Set them on the panel or on
 * anything around it.
 */
export const panelProperties = {
  '--todo-bg': { default: 'light-dark(#fff, #17191e)', means: 'Ground of the card.' },
  '--todo-line': { default: 'light-dark(#e6e8ec, #262a31)', means: 'Borders.' },
  '--todo-text': { default: 'light-dark(#1b1d22, #e7e8ec)', means: 'Text.' },
  '--todo-muted': {
    default: 'light-dark(#626a78, #969dab)',
    means: 'Text of less weight: times, details, finished items.',
  },
  '--todo-faint': { default: 'light-dark(#c9ced6, #3a404a)', means: 'Empty segments, the caret of a draft.' },
  '--todo-ring': { default: 'light-dark(#8c94a2, #737a88)', means: 'Icon of an item that is still to do.' },
  '--todo-accent': { default: 'light-dark(#3157d5, #8aa6ff)', means: 'The current item, actions, focus.' },
  '--todo-accent-soft': { default: 'light-dark(#eef2fe, #1d2542)', means: 'Ground of the current item.' },
  '--todo-on-accent': { default: 'light-dark(#fff, #10142a)', means: 'Text on the accent.' },
  '--todo-ok': { default: 'light-dark(#1f7a4d, #6bcf9b)', means: 'What is done.' },
  '--todo-warn': {
    default: 'light-dark(#8a5a00, #e8b65a)',
    means: 'Blocked items, notices that ask for a look.',
  },
  '--todo-warn-soft': { default: 'light-dark(#fdf4e3, #2c2415)', means: 'Ground of such a notice.' },
  '--todo-bad': { default: 'light-dark(#b3261e, #ff9c94)', means: 'Failures.' },
  '--todo-bad-soft': { default: 'light-dark(#fdeeed, #2f1a19)', means: 'Ground of such a notice.' },
  '--todo-font': { default: 'inherit', means: 'Font family.' },
  '--todo-font-size': { default: '0.875rem', means: 'Size of the text; all else follows it.' },
  '--todo-radius': { default: '14px', means: 'Roundness of the card.' },
  '--todo-shadow': {
    default: '0 1px 2px #0000000a, 0 8px 24px -16px #00000026',
    means: 'Shadow of the card.',
  },
  '--todo-max-height': { default: 'min(22rem, 50dvh)', means: 'Height at which the list begins to scroll.' },
  '--todo-max-lines': {
    default: '6',
    means: 'Lines of one text before it is cut, unless its row has the focus; `none` for all.',
  },
  '--todo-speed': { default: '2.4s', means: "One turn and one breath of the current item's icon." },
} as const satisfies Record<`--todo-${string}`, { default: string; means: string }>
