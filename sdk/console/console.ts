import type { ComponentType, MouseEvent, ReactNode } from 'react'
import type { Api, CallInput, Operations } from './api.ts'
import type {
  ChartProps,
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
import type { Format } from './format.ts'

/** The props of a page. `Paths` are the operations that it asks, as those of `sluice/api`. */
export type PageProps<Paths = Operations> = {
  readonly console: Console<Paths>
  /** The rest of the address below the page's own, without a slash first: `''` at the page itself. Its parts are decoded. */
  readonly path: string
}

/** The words of a page in the languages of the console: texts, and functions that make texts. */
export type Words<Texts> = { readonly en: Texts; readonly zh: Texts }

/** The user of the console. */
export type ConsoleUser = {
  /** `anonymous` while login is off. */
  readonly name: string
  /** True for a user who may change things; others may look. */
  readonly mayChange: boolean
}

/** An answer that is kept up to date. */
export type Data<Answer> = {
  /** Undefined until the first answer. */
  readonly data: Answer | undefined
  /** The failure of the latest request; the data before it stays. */
  readonly error: Error | undefined
  readonly isLoading: boolean
  /** Asks again. */
  readonly refresh: () => Promise<void>
}

type Answer<Paths, Key extends keyof Paths> = Paths[Key] extends { readonly answer: infer Value } ? Value : never
type Event<Paths, Key extends keyof Paths> = Paths[Key] extends { readonly event: infer Value } ? Value : never

/** The console, as it is given to its pages: the API, its hooks, and the components that all pages have in common. */
export interface Console<Paths = Operations> {
  readonly api: Api<Paths>
  readonly user: ConsoleUser
  readonly language: 'en' | 'zh'
  readonly format: Format
  /** The words of the console's language. */
  words<Texts>(words: Words<Texts>): Texts
  /**
   * A hook that asks an operation, and asks it again every `refreshMs` while the page is seen.
   * @param operation undefined asks nothing
   */
  useCall<Key extends keyof Paths & string>(
    operation: Key | undefined,
    input?: CallInput<Paths[Key]>,
    options?: { readonly refreshMs?: number },
  ): Data<Answer<Paths, Key>>
  /** A hook with the newest value of an operation with server-sent events, which connects again when it has ended. */
  useEvents<Key extends keyof Paths & string>(
    operation: Key | undefined,
    input?: CallInput<Paths[Key]>,
  ): Pick<Data<Event<Paths, Key>>, 'data' | 'error'>
  /**
   * Does a change and says how it went: by a notice with `done` when it is given, or with the server's message when it fails.
   * @returns true when it succeeded
   */
  change(action: () => Promise<unknown>, done?: string): Promise<boolean>
  /** Shows a notice for some seconds, which screen readers speak. */
  notify(text: string, kind?: 'done' | 'failed'): void
  /** Goes to an address of the console, which begins with a slash: `/streams/live/a`. */
  navigate(path: string): void
  /**
   * The props of a link to an address of the console, as `navigate` takes it. Clicks that open a tab or a window are the browser's,
   * and a row around the link is not opened.
   */
  link(path: string): { readonly href: string; readonly onClick: (event: MouseEvent) => void }
  /** The address of the page of a stream. */
  streamPage(streamPath: string): string
  /** The components of all pages. Others come from `@mantine/core`. */
  readonly components: {
    readonly PageFrame: ComponentType<PageFrameProps>
    readonly DataTable: <Row>(props: DataTableProps<Row>) => ReactNode
    readonly Player: ComponentType<PlayerProps>
    readonly JsonForm: ComponentType<JsonFormProps>
    readonly Problem: ComponentType<ProblemProps>
    readonly ConfirmButton: ComponentType<ConfirmButtonProps>
    readonly FormDialog: ComponentType<FormDialogProps>
    readonly SearchInput: ComponentType<SearchInputProps>
    readonly Chart: ComponentType<ChartProps>
    readonly StreamPicker: ComponentType<StreamPickerProps>
  }
}
