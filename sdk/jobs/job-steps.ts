/** The most steps that a try keeps; it forgets further ones. */
const MAX_STEPS = 32

/** A step of a job's beginning, done or under way (api.md 3.3, Step). */
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

  /** The index of the step that is under way, or was the last. */
  get current(): number {
    return Math.max(0, this.#steps.length - 1)
  }

  /** Forgets the steps of the previous try. */
  restart(): void {
    this.#steps = []
  }

  begin(name: string, description = ''): void {
    this.complete()
    if (this.#steps.length === MAX_STEPS) return
    this.#steps.push({ name, description, startedAt: new Date(), completedAt: undefined, error: '' })
  }

  /** Ends the step that is under way, with an error when one is given. */
  complete(error = ''): void {
    const step = this.#steps.at(-1)
    if (step === undefined || step.completedAt !== undefined) return
    step.completedAt = new Date()
    step.error = error
  }
}
