/**
 * The contract of pages in the console: the types of what a page is given. A page is a module of a plugin, which the plugin
 * names in `pages` of its definition, and whose default export is a React component with {@link PageProps}. It imports
 * `react`, `@mantine/core`, `@mantine/hooks` and `@mantine/dates` by their names: the console has them for all pages.
 */
export type { Api, Call, CallInput, Operations } from './api.ts'
export type {
  ChartProps,
  Column,
  ConfirmButtonProps,
  DataTableProps,
  FormDialogProps,
  JsonFormProps,
  PageFrameProps,
  PlayerProps,
  ProblemProps,
  SearchInputProps,
  StreamPickerProps,
} from './components.ts'
export type { Console, ConsoleUser, Data, PageProps, Words } from './console.ts'
export type { Format } from './format.ts'
