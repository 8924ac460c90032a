import type { ReactNode } from 'react'

/** The frame of a page: its heading, buttons beside it, and the contents. */
export type PageFrameProps = {
  readonly title: string
  /** One sentence below the heading. */
  readonly description?: ReactNode
  /** Buttons beside the heading. */
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A column of a table. */
export type Column<Row> = {
  readonly key: string
  readonly title: string
  readonly render: (row: Row) => ReactNode
  /** `end` for numbers. Default `start`. */
  readonly align?: 'start' | 'end'
  /** Not shown on narrow screens. */
  readonly isMinor?: boolean
}

/** A table of rows, which becomes a list of cards on a phone. */
export type DataTableProps<Row> = {
  /** The name of the table for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while the rows are loaded: the table then keeps their place. */
  readonly rows: readonly Row[] | undefined
  readonly rowKey: (row: Row) => string
  /** A sentence in place of the rows when there are none. */
  readonly empty: ReactNode
  /** Called for a click or Enter on a row. */
  readonly onOpen?: (row: Row) => void
  /** The page of a longer list; pages count from 1. */
  readonly paging?: {
    readonly page: number
    readonly pageSize: number
    readonly total: number
    readonly onPage: (page: number) => void
  }
}

/**
 * A player of a stream of this server, by the first transport that plays it. It begins without sound: browsers play with sound after a
 * click only.
 */
export type PlayerProps = {
  readonly streamPath: string
  /** The picture alone, without controls, for walls. */
  readonly isPlain?: boolean
}

/** A form of a JSON Schema, checked by it; the server checks again. */
export type JsonFormProps = {
  readonly schema: Readonly<Record<string, unknown>>
  readonly value: Readonly<Record<string, unknown>>
  /** Called with all values. A failure is shown at the form. */
  readonly onSubmit: (value: Readonly<Record<string, unknown>>) => Promise<void>
}

/** A failure with the server's message, and a button to try again where `onRetry` is given. */
export type ProblemProps = { readonly error: Error; readonly onRetry?: () => void }

/** A button that asks before it acts. While it acts it is disabled. */
export type ConfirmButtonProps = {
  readonly children: ReactNode
  /** The question, in a sentence that names what is concerned. */
  readonly question: string
  readonly onConfirm: () => Promise<unknown>
  /** The name for screen readers where `children` is a picture. */
  readonly label?: string
  readonly isDisabled?: boolean
}

/**
 * A form in a dialog. While it is sent its button is busy; it closes when that is done, and stays with the server's message when it is
 * refused. It is there as long as it is rendered, and gives the focus back when it goes.
 */
export type FormDialogProps = {
  readonly title: string
  /** The text of the button that sends the form. */
  readonly submitText: string
  /** Sends the form. What it throws is shown in the form. */
  readonly onSubmit: () => Promise<unknown>
  /** Called when the form is done, and when it is cancelled. */
  readonly onClose: () => void
  /** The fields. A function is given the refusal of a field by its name, as the props of an input. */
  readonly children: ReactNode | ((refusalOf: (field: string) => { readonly error?: string }) => ReactNode)
  /** The field that a message of the server is about. Undefined for none: the message is then shown below the fields. */
  readonly fieldOf?: (message: string) => string | undefined
  /** True for many fields: the form then lies beside the page, as high as the window. */
  readonly isLong?: boolean
  /** False while something is missing without which there is nothing to send. Default true. */
  readonly isReady?: boolean
  /** True where the form deletes something. */
  readonly isDestructive?: boolean
}

/** A field by which rows of a list are found. */
export type SearchInputProps = {
  /** The name of the field, which is also shown while it is empty. */
  readonly label: string
  /** The text at first. */
  readonly initial?: string
  /** Called with the text, without blanks around it, when the typing pauses. */
  readonly onSearch: (text: string) => void
}

/** Lines over time. */
export type ChartProps = {
  readonly label: string
  /** Times in Unix seconds, ascending. */
  readonly times: readonly number[]
  readonly series: readonly {
    readonly name: string
    /** One value for each time; null is a gap. */
    readonly values: readonly (number | null)[]
  }[]
  /** Writes a value at the axis. */
  readonly formatValue: (value: number) => string
  /** In pixels. Default 160. */
  readonly height?: number
}

/** A field that completes paths of streams that are published now. */
export type StreamPickerProps = {
  readonly label: string
  readonly value: string
  readonly onChange: (streamPath: string) => void
  readonly description?: string
  /** Why the path is refused. */
  readonly error?: string
}
