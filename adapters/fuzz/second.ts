// biome-ignore lint/suspicious/noExplicitAny: whatever the library offers.
type Library = any;

/** A second implementation for comparison; undefined if it is not installed, as these are development dependencies. */
export async function second(
  name: 'ethers' | '@cosmjs/encoding' | 'cosmjs-types/cosmos/tx/v1beta1/tx',
): Promise<Library | undefined> {
  try {
    return await import(name);
  } catch {
    return undefined;
  }
}
