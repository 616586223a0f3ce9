const assert = require('node:assert/strict');
const { ethers } = require('hardhat');

describe('an ERC-20 of OpenZeppelin, by hardhat', () => {
  const deploy = async () => {
    const [owner, friend] = await ethers.getSigners();
    const coin = await ethers.deployContract('Coin', [1_000_000n]);
    await coin.waitForDeployment();
    return { owner, friend, coin };
  };

  it('is deployed and has its supply', async () => {
    const { owner, coin } = await deploy();
    assert.equal(await coin.totalSupply(), 1_000_000n);
    assert.equal(await coin.balanceOf(owner.address), 1_000_000n);
    assert.equal(await coin.symbol(), 'COIN');
  });

  it('is transferred, with an event in the receipt and in queryFilter', async () => {
    const { owner, friend, coin } = await deploy();
    const before = await coin.balanceOf(friend.address);
    const receipt = await (await coin.transfer(friend.address, 42n)).wait();
    assert.equal(receipt.logs.length, 1);
    assert.equal(await coin.balanceOf(friend.address), before + 42n);
    const events = await coin.queryFilter(
      coin.filters.Transfer(owner.address, friend.address),
      receipt.blockNumber,
    );
    assert.deepEqual(
      events.map(({ args }) => args.value),
      [42n],
    );
  });

  it('is spent by another who was allowed to', async () => {
    const { owner, friend, coin } = await deploy();
    await (await coin.approve(friend.address, 10n)).wait();
    await (await coin.connect(friend).transferFrom(owner.address, friend.address, 7n)).wait();
    assert.equal(await coin.allowance(owner.address, friend.address), 3n);
  });

  it('reverts with its custom error', async () => {
    const { owner, friend, coin } = await deploy();
    await assert.rejects(coin.connect(friend).transfer.staticCall(owner.address, 1n), (error) => {
      const revert = coin.interface.parseError(error.data);
      assert.equal(revert.name, 'ERC20InsufficientBalance');
      assert.deepEqual([...revert.args], [friend.address, 0n, 1n]);
      return true;
    });
    await assert.rejects(coin.connect(friend).transfer(owner.address, 1n));
  });

  it('mines a transaction that fails, and says so', async () => {
    const { owner, friend, coin } = await deploy();
    const sent = await coin.connect(friend).transfer(owner.address, 1n, { gasLimit: 100_000n });
    await assert.rejects(sent.wait(), { code: 'CALL_EXCEPTION' });
    assert.equal((await ethers.provider.getTransactionReceipt(sent.hash)).status, 0);
  });

  it('takes a permit signed as typed data by the node', async () => {
    const { owner, friend, coin } = await deploy();
    const { chainId } = await ethers.provider.getNetwork();
    const domain = { name: 'Coin', version: '1', chainId, verifyingContract: await coin.getAddress() };
    const types = {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    };
    const deadline = 2n ** 40n;
    const permit = { owner: owner.address, spender: friend.address, value: 5n, nonce: 0n, deadline };
    const { v, r, s } = ethers.Signature.from(await owner.signTypedData(domain, types, permit));
    await (await coin.connect(friend).permit(owner.address, friend.address, 5n, deadline, v, r, s)).wait();
    assert.equal(await coin.allowance(owner.address, friend.address), 5n);
  });
});
