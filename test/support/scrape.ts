const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const HELP = new RegExp(`^# HELP (${NAME}) (.*)$`, 'u')
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`, 'u')
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.+)\\})? (\\S+)$`, 'u')
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(?:,|$)/uy
const SUFFIXES = /_(?:bucket|sum|count)$/u

/** One sample of a scrape. */
export type Sample = { readonly labels: Readonly<Record<string, string>>; readonly value: number }

/** Metrics in the text format of Prometheus 0.0.4, read strictly. */
export class Scrape {
  /** The samples by name. */
  readonly samples = new Map<string, Sample[]>()
  /** The families and their types. */
  readonly types = new Map<string, string>()
  readonly #seen = new Set<string>()
  #helped = ''

  /** @throws {Error} at the first line that is not as the format has it */
  constructor(text: string) {
    const lines = text.split('\n')
    if (lines.pop() !== '') throw new Error('the last line does not end')
    for (const line of lines) this.#read(line)
  }

  /** Asks a server. */
  static async of(url: string): Promise<Scrape> {
    return new Scrape(await (await fetch(url)).text())
  }

  /** How many series there are. */
  get size(): number {
    return this.#seen.size
  }

  /** The sum of the samples of a name that have these labels; undefined where there are none. */
  value(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const wanted = Object.entries(labels)
    const samples = (this.samples.get(name) ?? []).filter((sample) =>
      wanted.every(([label, value]) => sample.labels[label] === value),
    )
    return samples.length === 0 ? undefined : samples.reduce((sum, { value }) => sum + value, 0)
  }

  #read(line: string): void {
    const [, helped] = HELP.exec(line) ?? []
    if (helped !== undefined) {
      if (this.types.has(helped)) throw new Error(`a family twice: ${line}`)
      this.#helped = helped
      return
    }
    const [, typed, type = ''] = TYPE.exec(line) ?? []
    if (typed === undefined) return this.#readSample(line)
    if (typed !== this.#helped) throw new Error(`a type without help: ${line}`)
    this.types.set(typed, type)
  }

  #readSample(line: string): void {
    const [, name = '', labelText = '', valueText = ''] = SAMPLE.exec(line) ?? []
    if (name === '') throw new Error(`not a sample: ${line}`)
    const family = this.types.get(this.#helped) === 'histogram' ? name.replace(SUFFIXES, '') : name
    if (family !== this.#helped) throw new Error(`not in its family ${this.#helped}: ${line}`)
    const series = line.slice(0, line.lastIndexOf(' '))
    if (this.#seen.has(series)) throw new Error(`a series twice: ${line}`)
    this.#seen.add(series)
    const value = Number(valueText.replace('Inf', 'Infinity'))
    if (Number.isNaN(value)) throw new Error(`not a number: ${line}`)
    this.samples.set(name, [...(this.samples.get(name) ?? []), { labels: labelsOf(labelText), value }])
  }
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {}
  LABEL.lastIndex = 0
  while (LABEL.lastIndex < text.length) {
    const at = LABEL.lastIndex
    const [, name = '', value = ''] = LABEL.exec(text) ?? []
    if (name === '' || name in labels) throw new Error(`not labels from ${at} on: ${text}`)
    labels[name] = value.replaceAll(/\\(.)/gu, (_match, char: string) => (char === 'n' ? '\n' : char))
  }
  return labels
}
