"""web3.py and eth-account against a devnet. Arguments: URLs of JSON-RPC and of its websocket. Prints how many checks held."""

import asyncio
import sys

from eth_account import Account
from web3 import AsyncWeb3, Web3, WebSocketProvider
from web3.exceptions import BlockNotFound, ContractLogicError, TransactionNotFound, Web3RPCError
from web3.middleware import SignAndSendRawMiddlewareBuilder

HTTP, WS = sys.argv[1:]
# Account 7 of the well-known mnemonic.
ACCOUNT = Account.from_key("0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356")
TOPIC = Web3.keccak(text="Set(uint256)").hex().removeprefix("0x")
# Answers slot 0 when called with a selector alone, else stores the word after it and logs it.
STORE = f"3660041060125760005460005260206000f35b600435806000556000527f{TOPIC}60206000a100"
REVERTER = "0x602a60005260206000fd"
WORD = [{"name": "value", "type": "uint256"}]
ABI = [
    {"type": "function", "name": "get", "inputs": [], "outputs": WORD, "stateMutability": "view"},
    {"type": "function", "name": "set", "inputs": WORD, "outputs": [], "stateMutability": "nonpayable"},
    {"type": "event", "name": "Set", "anonymous": False, "inputs": [{**WORD[0], "indexed": False}]},
]
WAIT_SECONDS = 30
checks = 0


def must(ok, *what):
    global checks
    if not ok:
        sys.exit(f"not so: {what}")
    checks += 1


def refuses(kind, run):
    try:
        run()
    except kind:
        return must(True)
    must(False, "refused with", kind)


w3 = Web3(Web3.HTTPProvider(HTTP))
w3.middleware_onion.inject(SignAndSendRawMiddlewareBuilder.build(ACCOUNT), layer=0)
w3.eth.default_account = ACCOUNT.address


def wait(tx_hash):
    receipt = w3.eth.wait_for_transaction_receipt(tx_hash, timeout=WAIT_SECONDS, poll_latency=0.05)
    must(receipt.status == 1, receipt)
    return receipt


def typed_transactions(contract):
    price = w3.eth.gas_price + 10**9
    fees = {"maxFeePerGas": price, "maxPriorityFeePerGas": 1}
    access = [{"address": contract.address, "storageKeys": ["0x" + "00" * 32]}]
    kinds = [{"gasPrice": price}, {"gasPrice": price, "accessList": access, "type": 1}, fees]
    for fields in kinds:
        nonce = w3.eth.get_transaction_count(ACCOUNT.address, "pending")
        tx = {"to": ACCOUNT.address, "value": 1, "gas": 60_000, "nonce": nonce, "chainId": w3.eth.chain_id, **fields}
        signed = ACCOUNT.sign_transaction(tx)
        must(w3.eth.send_raw_transaction(signed.raw_transaction) == signed.hash, "hash")
        receipt = wait(signed.hash)
        must(w3.eth.get_raw_transaction(signed.hash) == signed.raw_transaction, "bytes")
        must(w3.eth.get_transaction(signed.hash).blockHash == receipt.blockHash, "block")
        refuses(Web3RPCError, lambda: w3.eth.send_raw_transaction(signed.raw_transaction))


def contracts():
    code = f"0x61{len(STORE) // 2:04x}80600c6000396000f3{STORE}"
    receipt = wait(w3.eth.contract(abi=ABI, bytecode=code).constructor().transact())
    contract = w3.eth.contract(address=receipt.contractAddress, abi=ABI)
    blocks, pending = w3.eth.filter("latest"), w3.eth.filter("pending")
    events = contract.events.Set.create_filter(from_block="latest")
    for value in (5, 6, 7):
        receipt = wait(contract.functions.set(value).transact())
        must([e.args.value for e in contract.events.Set().process_receipt(receipt)] == [value], "event")
    must([e.args.value for e in events.get_new_entries()] == [5, 6, 7], "polled events")
    must(len(pending.get_new_entries()) == 3 and len(blocks.get_new_entries()) >= 3, "polled filters")
    past = contract.events.Set().get_logs(from_block=0)
    must([e.args.value for e in past] == [5, 6, 7], "past events")
    must(contract.functions.get().call() == 7, "call")
    must(contract.functions.get().call(block_identifier=receipt.blockNumber - 1) == 6, "call of the past")
    changed = {contract.address: {"stateDiff": {"0x" + "00" * 32: "0x" + "00" * 31 + "63"}}}
    must(contract.functions.get().call(state_override=changed) == 99, "override")
    refuses(ContractLogicError, lambda: w3.eth.call({"data": REVERTER}))
    return contract


def reads():
    for tag in ("latest", "earliest", "safe", "finalized", "pending"):
        must("transactions" in w3.eth.get_block(tag, True), tag)
    refuses(BlockNotFound, lambda: w3.eth.get_block(10**9))
    refuses(TransactionNotFound, lambda: w3.eth.get_transaction("0x" + "11" * 32))
    must(len(w3.eth.fee_history(4, "latest", [10, 90]).reward) > 0, "fee history")
    must(w3.eth.max_priority_fee >= 0 and w3.eth.syncing is False and w3.net.listening, "node")
    must(w3.geth.txpool.status() is not None, "pool")
    with w3.batch_requests() as batch:
        batch.add(w3.eth.get_block("latest"))
        batch.add(w3.eth.get_balance(ACCOUNT.address))
        must(len(batch.execute()) == 2, "batch")


async def subscriptions(contract):
    async with AsyncWeb3(WebSocketProvider(WS)) as live:
        heads = await live.eth.subscribe("newHeads")
        logs = await live.eth.subscribe("logs", {"address": contract.address})
        hashes = await live.eth.subscribe("newPendingTransactions")
        full = await live.eth.subscribe("newPendingTransactions", True)
        sent = contract.functions.set(8).transact()
        heard = {kind: [] for kind in (heads, logs, hashes, full)}
        async for message in live.socket.process_subscriptions():
            heard[message["subscription"]].append(message["result"])
            if len(heard[heads]) > 2 and heard[logs] and heard[hashes] and heard[full]:
                break
        must(heard[logs][0].transactionHash == sent and heard[hashes] == [sent], "log and hash")
        must(heard[full][0].hash == sent, "full transaction")
        for before, head in zip(heard[heads], heard[heads][1:]):
            must(head.parentHash == before.hash, "linked heads")
        must((await live.eth.get_block(heard[heads][0].number)).hash == heard[heads][0].hash, "head")
        for kind in heard:
            must(await live.eth.unsubscribe(kind), "unsubscribed")


must(w3.is_connected(), "connected")
reads()
coin = contracts()
typed_transactions(coin)
asyncio.run(asyncio.wait_for(subscriptions(coin), WAIT_SECONDS))
print(checks)
