/** Of so many steps at most is kept account; a try that takes more tells only of its first ones. */
const MAX_STEPS = 32

/** What a job does or did while it begins (api.md 3.3, Step). */
export type JobStep = {
  readonly name: string
  readonly description: string
  readonly startedAt: Date
  completedAt: Date | undefined
  error: string
}

/** The steps of a job's latest try. */
export class JobSteps {
  #steps: JobStep[] = []

  get list(): readonly JobStep[] {
    return this.#steps
  }

  /** The place in the list of what is being done, or was done last. */
  get current(): number {
    return Math.max(0, this.#steps.length - 1)
  }

  /** Forgets those of the try before. */
  restart(): void {
    this.#steps = []
  }

  begin(name: string, description = ''): void {
    this.complete()
    if (this.#steps.length === MAX_STEPS) return
    this.#steps.push({ name, description, startedAt: new Date(), completedAt: undefined, error: '' })
  }

  /** What is being done has come to its end, by an error where one is given. */
  complete(error = ''): void {
    const step = this.#steps.at(-1)
    if (step === undefined || step.completedAt !== undefined) return
    step.completedAt = new Date()
    step.error = error
  }
}
